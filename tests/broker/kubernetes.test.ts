import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { brokerKeys } from '../../src/broker/shared/keys.ts';
import { invoke } from '../cli/invoke.ts';

const folder = join('deploy', 'kubernetes');

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly valueFrom?: { readonly secretKeyRef: { readonly key: string } } }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly resources: object;
  readonly volumeMounts: readonly { readonly name: string }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

/** Of any kind: the tests read only what its kind has. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly containers: readonly [Container];
        readonly volumes: readonly { readonly name: string }[];
        readonly securityContext: object;
        readonly terminationGracePeriodSeconds: number;
      };
    };
    readonly triggers: readonly { readonly metadata: { readonly listName: string } }[];
    readonly scaleTargetRef: { readonly name: string };
    readonly secretTargetRef: readonly { readonly key: string }[];
    readonly ports: readonly { readonly targetPort: string }[];
  };
  readonly stringData: object;
  readonly resources: readonly string[];
}

function read(name: string): readonly Manifest[] {
  const documents = parseAllDocuments(readFileSync(join(folder, name), 'utf8'), { merge: true });
  return documents.map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });
}

const folders = ['base', join('components', 'autoscaling')];
const filesOf = (inside: string): readonly string[] => {
  const [kustomization] = read(join(inside, 'kustomization.yaml')) as [Manifest];
  return kustomization.resources.map((name) => join(inside, name));
};
const manifests = folders.flatMap(filesOf).flatMap(read);
const [secret] = read('secret.example.yaml') as [Manifest];
const find = (kind: string, name: string): Manifest =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name) as Manifest;

describe('manifests', () => {
  it('are all part of a kustomization', () => {
    const files = folders.flatMap((inside) => readdirSync(join(folder, inside)).map((name) => join(inside, name)));
    const expected = files.filter((name) => !name.endsWith('kustomization.yaml'));
    expect(folders.flatMap(filesOf).sort()).toEqual(expected.sort());
    const kinds = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(kinds).size).toBe(kinds.length);
  });

  it('read only keys of the example secret', () => {
    const used = [
      ...['svc-front', 'svc-worker'].flatMap((name) =>
        find('Deployment', name).spec.template.spec.containers[0].env.flatMap(
          ({ valueFrom }) => valueFrom?.secretKeyRef.key ?? [],
        ),
      ),
      ...find('TriggerAuthentication', 'svc-redis').spec.secretTargetRef.map(({ key }) => key),
    ];
    expect([...new Set(used)].sort()).toEqual(Object.keys(secret.stringData).sort());
  });

  it('scale workers by existing lists of the queue', () => {
    const { waiting, prefix } = brokerKeys('speech');
    const { spec } = find('ScaledObject', 'svc-worker');
    expect(spec.triggers.map(({ metadata }) => metadata.listName)).toEqual([
      waiting('whole'),
      `${prefix}:tasks:active`,
    ]);
    expect(find('Deployment', spec.scaleTargetRef.name).spec).not.toHaveProperty('replicas');
  });
});

describe.each(['svc-front', 'svc-worker'])('%s', (name) => {
  const { spec } = find('Deployment', name);
  const pod = spec.template.spec;
  const [container] = pod.containers;

  it('runs as non-root on a read-only file system', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('has resource requests and a memory limit', () => {
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.anything(), memory: expect.anything() },
      limits: { memory: expect.anything() },
    });
  });

  it('is selected by its labels, also in the disruption budget', () => {
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    expect(find('PodDisruptionBudget', name).spec.selector.matchLabels).toEqual(spec.selector.matchLabels);
  });

  it('has probes on existing ports and mounts existing volumes', () => {
    const ports = container.ports.map((port) => port.name);
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect(ports).toContain(probe.httpGet.port);
      expect(['/healthz', '/readyz', '/status']).toContain(probe.httpGet.path);
    }
    const volumes = pod.volumes.map((volume) => volume.name);
    expect(volumes).toEqual(container.volumeMounts.map((mount) => mount.name));
  });

  it('uses existing options and a grace period longer than the drain time', async () => {
    const [command, ...settings] = container.args;
    const { stdout } = await invoke([command as string, '--help', 'all']);
    for (const option of settings.filter((setting) => setting.startsWith('--'))) {
      expect(stdout.toString()).toContain(`${option} <`);
    }
    const drain = Number(settings[settings.indexOf('--drain-seconds') + 1]);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + 10);
    const ports = container.ports.map(({ containerPort }) => String(containerPort));
    expect(settings).toEqual(expect.arrayContaining(ports));
  });
});

it('the service selects the front ends', () => {
  const { selector, ports } = find('Service', 'svc').spec;
  expect(selector).toEqual(find('Deployment', 'svc-front').spec.selector.matchLabels);
  expect(ports.map(({ targetPort }) => targetPort)).toEqual(['http']);
});
