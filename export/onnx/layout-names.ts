/** How the files of an ONNX model are laid out: `default` is the layout of svc, `voxcpm-onnx` that of VoxCPM-ONNX. */
export const layouts = ['default', 'voxcpm-onnx'] as const;
export type Layout = (typeof layouts)[number];
