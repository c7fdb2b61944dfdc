import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Needs the Python package kubernetes-validate, which contains the schemas of Kubernetes. */
const folder = join('deploy', 'kubernetes');
/** Kubernetes' own kinds; there are no schemas for KEDA and kustomize. */
const files = readdirSync(folder).filter((name) => !/^(kustomization|scaling)/.test(name));

describe('Kubernetes schemas', () => {
  it.each(files)('accept %s', (name) => {
    const settings = ['-m', 'kubernetes_validate', '--kubernetes-version', '1.33', '--strict', join(folder, name)];
    const { status, stdout, stderr } = spawnSync('python3', settings, { encoding: 'utf8' });
    expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: expect.not.stringMatching(/ERROR/) });
  });
});
