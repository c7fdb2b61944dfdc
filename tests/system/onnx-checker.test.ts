/** Checks every exported graph with Python's `onnx`, the reference for what is valid. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { exportOnnx } from '../../export/onnx/export-onnx.ts';
import type { Layout } from '../../export/onnx/layout-names.ts';
import { modelPrecisions } from '../../export/onnx/precision.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();

/** `full_check` infers all types and shapes strictly. Prints a line of JSON for each file. */
const script = `
import json, sys, onnx
for path in sys.argv[1:]:
    problem = None
    try:
        onnx.checker.check_model(path, full_check=True)
    except Exception as error:
        problem = str(error)
    model = onnx.load(path, load_external_data=False)
    def graphs(graph):
        yield graph
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField('g'):
                    yield from graphs(attribute.g)
    nodes = [node for graph in graphs(model.graph) for node in graph.node]
    print(json.dumps({
        'problem': problem,
        'domains': sorted({node.domain for node in nodes} - {opset.domain for opset in model.opset_import}),
        'unnamed': sum(not node.name for node in nodes),
        'producer': model.producer_name,
        'described': bool(model.doc_string and model.producer_version and model.ir_version),
    }))
`;

const models: readonly (readonly [model: string, layout: Layout])[] = [
  ['tiny-v1', 'default'],
  ['tiny-v1', 'voxcpm-onnx'],
  ['tiny-v15', 'default'],
  ['tiny-v2', 'default'],
];

it.each(
  models.flatMap(([model, layout]) =>
    (['f32', 'f16', 'q8', 'q4', 'int8'] as const).map((type) => [model, layout, type] as const),
  ),
)('accepts the graphs of %s in layout %s as %s', async (model, layout, type) => {
  const checkpoint = join('tests', 'fixtures', model, 'checkpoint');
  await exportOnnx({ checkpoint, output: folder.path, types: modelPrecisions[type], layout });
  const files = (await readdir(folder.path)).filter((name) => name.endsWith('.onnx'));
  const { stdout } = await promisify(execFile)('python3', ['-c', script, ...files.map((name) => folder.join(name))]);
  const found = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const valid = { problem: null, domains: [], unnamed: 0, producer: 'svc', described: true };
  expect(Object.fromEntries(files.map((name, index) => [name, found[index]]))).toEqual(
    Object.fromEntries(files.map((name) => [name, valid])),
  );
  expect(files.length).toBe(layout === 'default' ? 5 : 4);
});
