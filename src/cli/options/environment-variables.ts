/** The environment variables that svc reads; `docs/cli.md` has the same list, which a test compares with the sources. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly purpose: string;
  /** Whether the value must not be shown. */
  readonly secret?: boolean;
}

export const environmentVariables: readonly EnvironmentVariable[] = [
  { name: 'SVC_CACHE_DIR', purpose: 'folder of downloaded and converted models' },
  { name: 'SVC_MODELS_DIR', purpose: 'folder with the one model that is used when no option names one' },
  { name: 'SVC_DEVICE', purpose: 'device when --backend names none' },
  { name: 'SVC_SQLITE_PATH', purpose: 'file of the stored voices' },
  { name: 'SVC_VOICE_DIR', purpose: 'folder of the stored voices, and of recordings for svc serve, as --voice-dir' },
  {
    name: 'SVC_DATABASE_URL',
    purpose: 'PostgreSQL database of the stored voices, before SVC_SQLITE_PATH',
    secret: true,
  },
  { name: 'SVC_BROKER_URL', purpose: 'Redis between svc serve and svc worker, as --broker', secret: true },
  { name: 'SVC_API_KEY', purpose: 'bearer token that svc serve asks for', secret: true },
  { name: 'HF_ENDPOINT', purpose: 'hub that models come from' },
  { name: 'HF_TOKEN', purpose: 'your token of the hub', secret: true },
  { name: 'HF_HUB_OFFLINE', purpose: '1: nothing is downloaded' },
  { name: 'MODEL_PATH', purpose: 'svc export --format onnx: as --model-path' },
  { name: 'OUTPUT_DIR', purpose: 'svc export --format onnx: as --output' },
  { name: 'TIMESTEPS', purpose: 'svc export --format onnx: as --timesteps' },
  { name: 'CFG_VALUE', purpose: 'svc export --format onnx: as --cfg-value' },
];
