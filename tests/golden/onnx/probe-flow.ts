/** Flow matching of an exported model, per call and as a whole. */
import type { Tensor } from 'onnxruntime-common';
import type { NativeTensor } from '../../../src/engine/backends/native/addon.ts';
import { flowSchedule } from '../../../src/engine/backends/onnx/exported/flow.ts';
import { bool, float, native, need, type Outputs, type ProbeFiles, squeezed, type Tensors } from './probe-files.ts';

export async function localDit(files: ProbeFiles, inputs: Tensors): Outputs {
  const { flow, schedule } = files.manifest;
  const [x, mu, t, cond, dt] = ['x', 'mu', 't', 'cond', 'dt'].map((name) => need(inputs, name)) as [
    NativeTensor,
    NativeTensor,
    NativeTensor,
    NativeTensor,
    NativeTensor,
  ];
  const count = t.data.length;
  const times = { times: float(t.data, count), deltas: float(dt.data, count) };
  const timed = await files.run(schedule.file, times, [
    'time.sinusoids',
    'time.output',
    'delta_time.output',
    'embeddings',
  ]);
  const { dims } = timed.embeddings as Tensor;
  const width = dims[1] as number;
  const projected = await files.run(flow.file, { before: float(cond.data, ...cond.shape) }, ['dit.projected']);
  const feeds = {
    'dit.x': float(x.data, ...x.shape),
    'dit.mu': float(mu.data, count, mu.data.length / (count * width), width),
    'dit.time': float(timed.embeddings?.data as Float32Array, count, 1, width),
    'dit.before': projected['dit.projected'] as Tensor,
  };
  const { 'dit.velocity': out } = await files.run(flow.file, feeds, ['dit.velocity']);
  return {
    out: native(out as Tensor),
    t_emb: native(timed['time.sinusoids'] as Tensor),
    t_mlp: native(timed['time.output'] as Tensor),
    dt_mlp: native(timed['delta_time.output'] as Tensor),
  };
}

export async function flow(files: ProbeFiles, inputs: Tensors, parameters: Readonly<Record<string, number>>): Outputs {
  const { flow, schedule } = files.manifest;
  const { timesteps = 10, cfg = 2, sway = 1, zeroStar = 1 } = parameters;
  const { times, deltas, steps } = flowSchedule({
    timesteps,
    sway,
    isMeanMode: flow.isMeanMode,
    zeroStar: zeroStar === 1 ? 'on' : 'off',
  });
  const calls = times.length;
  const { embeddings } = await files.run(schedule.file, { times: float(times, calls), deltas: float(deltas, calls) }, [
    'embeddings',
  ]);
  const width = embeddings?.dims[1] as number;
  const [z, mu, cond] = ['z', 'mu', 'cond'].map((name) => need(inputs, name)) as [
    NativeTensor,
    NativeTensor,
    NativeTensor,
  ];
  const feeds = {
    noise: float(z.data, 1, ...z.shape),
    condition: float(mu.data, 1, mu.data.length / width, width),
    before: float(cond.data, 1, ...cond.shape),
    cfg: float([cfg], 1),
    embeddings: embeddings as Tensor,
    steps: float(steps, calls),
    zero_star: bool(zeroStar),
  };
  const { patch, trajectory } = await files.run(flow.file, feeds, ['patch', 'trajectory']);
  return {
    out: squeezed(patch as Tensor),
    'traj.x': native(trajectory as Tensor),
    'traj.t': { data: times, shape: [calls] },
    'traj.dt': { data: deltas, shape: [calls] },
  };
}
