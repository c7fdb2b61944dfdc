/** The model hubs: their addresses, environment variables and the published checkpoints there. */

export interface Hub {
  /** In messages. */
  readonly title: string;
  readonly endpoint: string;
  /** Hosts of its pages, without `www.`; the usual one first. */
  readonly hosts: readonly string[];
  /** Names that the model hub's own clients use. */
  readonly endpointVariable: string;
  readonly tokenVariable: string;
  readonly defaultRevision: string;
  /** Repositories by short name (OpenBMB/VoxCPM, README.md). */
  readonly knownModels: Readonly<Record<string, string>>;
}

const modelsOf = (organization: string): Hub['knownModels'] => ({
  'voxcpm-0.5b': `${organization}/VoxCPM-0.5B`,
  'voxcpm-1.5': `${organization}/VoxCPM1.5`,
  'voxcpm-2': `${organization}/VoxCPM2`,
});

export const hubs = {
  huggingface: {
    title: 'Hugging Face',
    endpoint: 'https://huggingface.co',
    hosts: ['huggingface.co', 'hf.co'],
    endpointVariable: 'HF_ENDPOINT',
    tokenVariable: 'HF_TOKEN',
    defaultRevision: 'main',
    knownModels: modelsOf('openbmb'),
  },
  modelscope: {
    title: 'ModelScope',
    endpoint: 'https://www.modelscope.cn',
    hosts: ['modelscope.cn', 'modelscope.ai'],
    endpointVariable: 'MODELSCOPE_ENDPOINT',
    tokenVariable: 'MODELSCOPE_API_TOKEN',
    defaultRevision: 'master',
    knownModels: modelsOf('OpenBMB'),
  },
} as const satisfies Record<string, Hub>;

export type HubName = keyof typeof hubs;
export const hubNames = Object.keys(hubs) as readonly HubName[];
export const defaultHub: HubName = 'huggingface';
