import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Needs the package kubernetes-validate of Python, which has the schemas of Kubernetes. */
const folder = join('deploy', 'kubernetes');
/** Kinds of Kubernetes itself; those of KEDA and kustomize have no schema there. */
const files = readdirSync(folder).filter((name) => !/^(kustomization|scaling)/.test(name));

describe('the schemas of Kubernetes', () => {
  it.each(files)('know all of %s', (name) => {
    const settings = ['-m', 'kubernetes_validate', '--kubernetes-version', '1.33', '--strict', join(folder, name)];
    const { status, stdout, stderr } = spawnSync('python3', settings, { encoding: 'utf8' });
    expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: expect.not.stringMatching(/ERROR/) });
  });
});
