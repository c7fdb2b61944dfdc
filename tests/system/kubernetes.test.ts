import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { sharedFolder } from '../support/test-folder.ts';

/** Needs kubectl or kustomize, and the Python package kubernetes-validate, which contains the schemas of Kubernetes. */
const overlays = join('deploy', 'kubernetes', 'overlays');

const hasKubectl = spawnSync('kubectl', ['version', '--client']).error === undefined;
const [program, command] = hasKubectl ? ['kubectl', 'kustomize'] : ['kustomize', 'build'];

const folder = sharedFolder();

/** Kinds of other projects have no schemas. */
const isOfKubernetes = (document: ReturnType<typeof parseAllDocuments>[number]): boolean =>
  !String(document.get('apiVersion')).startsWith('keda.sh/');

function validate(path: string): void {
  const settings = ['-m', 'kubernetes_validate', '--kubernetes-version', '1.33', '--strict', path];
  const { status, stdout, stderr } = spawnSync('python3', settings, { encoding: 'utf8' });
  expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: expect.not.stringMatching(/ERROR/) });
}

it.each(readdirSync(overlays))('Kubernetes schemas accept the overlay %s', (name) => {
  const built = spawnSync(program, [command, join(overlays, name)], { encoding: 'utf8' });
  expect({ status: built.status, stderr: built.stderr }).toEqual({ status: 0, stderr: '' });
  const documents = [...parseAllDocuments(built.stdout)].filter(isOfKubernetes);
  expect(documents).toHaveLength(6);
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, documents.map(String).join('---\n'));
  validate(path);
});

it('Kubernetes schemas accept the example secret', () => validate(join('deploy', 'kubernetes', 'secret.example.yaml')));
