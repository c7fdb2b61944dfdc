import type { Command, Option } from 'commander';
import { SvcError } from '../../errors.ts';
import { show } from '../../messages.ts';
import { invalid, readTruth, variableOf } from '../../validation.ts';
import type { Io } from '../io.ts';

const variables: readonly (readonly [name: string, purpose: string, secret?: 'secret'])[] = [
  ['SVC_CACHE_DIR', 'folder for downloaded and converted models'],
  ['SVC_MODELS_DIR', 'folder with one model, used when no option selects a model'],
  ['SVC_DEVICE', 'device, if --backend is not given'],
  ['SVC_DEVICE_TIMEOUT', 'seconds without an answer after which a GPU is given up (default: 120)'],
  ['SVC_CUDA_KERNELS', 'folder of CUDA kernels, in place of those of the package'],
  ['SVC_THREADS', 'CPU threads, if --threads is not given'],
  ['SVC_SQLITE_PATH', 'file that stores voices'],
  ['SVC_VOICE_DIR', 'folder for stored voices, and for recordings of svc serve; same as --voice-dir'],
  ['SVC_DATABASE_URL', 'PostgreSQL database that stores voices; overrides SVC_SQLITE_PATH', 'secret'],
  ['SVC_BROKER_URL', 'Redis between svc serve, svc batch and svc worker; same as --broker', 'secret'],
  ['SVC_BROKER_CA', "authorities of the broker's certificates; same as --broker-ca"],
  ['SVC_BROKER_CERT', 'client certificate for the broker; same as --broker-cert'],
  ['SVC_BROKER_KEY', 'file of its private key; same as --broker-key'],
  ['SVC_BROKER_SENTINEL_PASSWORD', 'password of the Sentinels in --broker', 'secret'],
  ['AWS_ENDPOINT_URL_S3', 'address of another store than Amazon S3, for svc batch and svc worker'],
  ['AWS_ENDPOINT_URL', 'the same, if AWS_ENDPOINT_URL_S3 is not set'],
  ['AWS_REGION', 'region of the buckets (default with such an address: us-east-1)'],
  ['SVC_LEXICON', 'svc serve: pronunciations of all voices; same as --lexicon, several files separated as in PATH'],
  ['SVC_API_KEY', 'bearer token that svc serve requires; same as --api-key', 'secret'],
  ['SVC_API_KEYS', 'file of API keys of svc serve; same as --api-keys'],
  ['SVC_PUBLIC_LISTS', '1 to list voices and models without a key; same as --public-lists'],
  ['SVC_RATE_LIMIT', 'maximum requests per minute and API key; same as --rate-limit'],
  ['SVC_CONCURRENCY_LIMIT', 'maximum running and waiting requests per API key; same as --concurrency-limit'],
  ['SVC_CORS_ORIGIN', 'origins that may call svc serve, separated by commas; same as --cors-origin'],
  ['SVC_TRUST_PROXY', 'proxies in front of svc serve; same as --trust-proxy'],
  ['SVC_TLS_CERT', 'certificate of svc serve; same as --tls-cert'],
  ['SVC_TLS_KEY', 'file of its private key; same as --tls-key'],
  ['SVC_WYOMING', 'address of svc serve for Home Assistant; same as --wyoming'],
  ['SVC_STRICT', '1 to refuse unknown fields, and instructions that have no effect; same as --strict'],
  ['SVC_DEFAULT_VOICE', 'voice of svc serve for requests without one; same as --default-voice'],
  ['SVC_DEFAULTS', 'defaults of request fields, such as normalize=on;speed=1.1; same as --default'],
  ['SVC_VOICE_ALIAS', 'other names of voices, such as alloy=anna,nova=ben; same as --voice-alias'],
  ['SVC_CHECK_KEY', 'bearer token for the endpoint of --check-with', 'secret'],
  ['OPENAI_API_KEY', 'the same, for api.openai.com only', 'secret'],
  ['SVC_HUB', 'where named models come from: huggingface or modelscope; same as --hub'],
  ['HF_ENDPOINT', 'address of the Hugging Face Hub'],
  ['HF_TOKEN', 'your Hugging Face token', 'secret'],
  ['HF_HUB_OFFLINE', '1 to download nothing, from either hub'],
  ['MODELSCOPE_ENDPOINT', 'address of ModelScope'],
  ['MODELSCOPE_API_TOKEN', 'your ModelScope token', 'secret'],
  ['MODEL_PATH', 'svc export --format onnx: same as --model-path'],
  ['OUTPUT_DIR', 'svc export --format onnx: same as --output'],
  ['TIMESTEPS', 'svc export --format onnx: same as --timesteps'],
  ['CFG_VALUE', 'svc export --format onnx: same as --cfg-value'],
];

/** The environment variables that svc reads; secret ones are not shown. A test compares them with docs/cli.md. */
export const environmentVariables = variables.map(([name, purpose, secret]) => ({ name, purpose, secret }));

/** As `variableOf`. */
export const readVariable = ({ environment }: Pick<Io, 'environment'>, name: string): string | undefined =>
  variableOf(environment, name);

/** Options that a variable of their name sets: `--api-keys` is `SVC_API_KEYS`. */
const settable = `apiKeys publicLists rateLimit concurrencyLimit corsOrigin trustProxy tlsCert tlsKey wyoming strict
  defaultVoice voiceAlias`.split(/\s+/);

/** Sets options that were not given from environment variables. Commander's own support reads those of the process. */
export function setFromEnvironment(command: Command, io: Pick<Io, 'environment'>): void {
  for (const option of command.options) {
    const attribute = option.attributeName();
    const variable = `SVC_${attribute.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
    const text = settable.includes(attribute) ? readVariable(io, variable) : undefined;
    if (text === undefined || command.getOptionValueSource(attribute) === 'cli') continue;
    command.setOptionValueWithSource(attribute, parseVariable(option, variable, text), 'env');
  }
}

function parseVariable(option: Option, variable: string, text: string): unknown {
  if (option.isBoolean()) {
    const truth = readTruth(text);
    if (truth === undefined) throw invalid('1, true, 0 or false', variable, show(text));
    return truth;
  }
  try {
    return option.parseArg?.(text, undefined) ?? text;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError(error.code, `${error.message} (from ${variable})`, { cause: error });
  }
}
