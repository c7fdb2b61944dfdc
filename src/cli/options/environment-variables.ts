import { variableOf } from '../../validation.ts';
import type { Io } from '../io.ts';

/** The environment variables that svc reads. A test compares this list with docs/cli.md and the sources. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly purpose: string;
  /** Whether the value must not be shown. */
  readonly secret?: boolean;
}

export const environmentVariables: readonly EnvironmentVariable[] = [
  { name: 'SVC_CACHE_DIR', purpose: 'folder for downloaded and converted models' },
  { name: 'SVC_MODELS_DIR', purpose: 'folder with one model, used when no option selects a model' },
  { name: 'SVC_DEVICE', purpose: 'device, if --backend is not given' },
  {
    name: 'SVC_DEVICE_TIMEOUT',
    purpose: 'seconds without an answer after which a GPU is given up (default: 120)',
  },
  { name: 'SVC_CUDA_KERNELS', purpose: 'folder of CUDA kernels, in place of those of the package' },
  { name: 'SVC_THREADS', purpose: 'CPU threads, if --threads is not given' },
  { name: 'SVC_SQLITE_PATH', purpose: 'file that stores voices' },
  { name: 'SVC_VOICE_DIR', purpose: 'folder for stored voices, and for recordings of svc serve; same as --voice-dir' },
  {
    name: 'SVC_DATABASE_URL',
    purpose: 'PostgreSQL database that stores voices; overrides SVC_SQLITE_PATH',
    secret: true,
  },
  {
    name: 'SVC_BROKER_URL',
    purpose: 'Redis between svc serve, svc batch and svc worker; same as --broker',
    secret: true,
  },
  { name: 'SVC_BROKER_CA', purpose: "authorities of the broker's certificates; same as --broker-ca" },
  { name: 'SVC_BROKER_CERT', purpose: 'client certificate for the broker; same as --broker-cert' },
  { name: 'SVC_BROKER_KEY', purpose: 'file of its private key; same as --broker-key' },
  { name: 'SVC_BROKER_SENTINEL_PASSWORD', purpose: 'password of the Sentinels in --broker', secret: true },
  { name: 'AWS_ENDPOINT_URL_S3', purpose: 'address of another store than Amazon S3, for svc batch and svc worker' },
  { name: 'AWS_ENDPOINT_URL', purpose: 'the same, if AWS_ENDPOINT_URL_S3 is not set' },
  { name: 'AWS_REGION', purpose: 'region of the buckets (default with such an address: us-east-1)' },
  {
    name: 'SVC_LEXICON',
    purpose: 'svc serve: pronunciations of all voices; same as --lexicon, several files separated as in PATH',
  },
  { name: 'SVC_API_KEY', purpose: 'bearer token that svc serve requires; same as --api-key', secret: true },
  { name: 'SVC_API_KEYS', purpose: 'file of API keys of svc serve; same as --api-keys' },
  { name: 'SVC_PUBLIC_LISTS', purpose: '1 to list voices and models without a key; same as --public-lists' },
  { name: 'SVC_RATE_LIMIT', purpose: 'maximum requests per minute and API key; same as --rate-limit' },
  {
    name: 'SVC_CONCURRENCY_LIMIT',
    purpose: 'maximum running and waiting requests per API key; same as --concurrency-limit',
  },
  { name: 'SVC_CORS_ORIGIN', purpose: 'origins that may call svc serve, separated by commas; same as --cors-origin' },
  { name: 'SVC_TRUST_PROXY', purpose: 'proxies in front of svc serve; same as --trust-proxy' },
  { name: 'SVC_TLS_CERT', purpose: 'certificate of svc serve; same as --tls-cert' },
  { name: 'SVC_TLS_KEY', purpose: 'file of its private key; same as --tls-key' },
  { name: 'SVC_WYOMING', purpose: 'address of svc serve for Home Assistant; same as --wyoming' },
  { name: 'SVC_STRICT', purpose: '1 to refuse unknown fields, and instructions that have no effect; same as --strict' },
  { name: 'SVC_DEFAULT_VOICE', purpose: 'voice of svc serve for requests without one; same as --default-voice' },
  {
    name: 'SVC_DEFAULTS',
    purpose: 'defaults of request fields, such as normalize=on;speed=1.1; same as --default',
  },
  { name: 'SVC_VOICE_ALIAS', purpose: 'other names of voices, such as alloy=anna,nova=ben; same as --voice-alias' },
  { name: 'SVC_CHECK_KEY', purpose: 'bearer token for the endpoint of --check-with', secret: true },
  { name: 'OPENAI_API_KEY', purpose: 'the same, for api.openai.com only', secret: true },
  { name: 'SVC_HUB', purpose: 'where named models come from: huggingface or modelscope; same as --hub' },
  { name: 'HF_ENDPOINT', purpose: 'address of the Hugging Face Hub' },
  { name: 'HF_TOKEN', purpose: 'your Hugging Face token', secret: true },
  { name: 'HF_HUB_OFFLINE', purpose: '1 to download nothing, from either hub' },
  { name: 'MODELSCOPE_ENDPOINT', purpose: 'address of ModelScope' },
  { name: 'MODELSCOPE_API_TOKEN', purpose: 'your ModelScope token', secret: true },
  { name: 'MODEL_PATH', purpose: 'svc export --format onnx: same as --model-path' },
  { name: 'OUTPUT_DIR', purpose: 'svc export --format onnx: same as --output' },
  { name: 'TIMESTEPS', purpose: 'svc export --format onnx: same as --timesteps' },
  { name: 'CFG_VALUE', purpose: 'svc export --format onnx: same as --cfg-value' },
];

/** As `variableOf`. */
export const readVariable = ({ environment }: Pick<Io, 'environment'>, name: string): string | undefined =>
  variableOf(environment, name);
