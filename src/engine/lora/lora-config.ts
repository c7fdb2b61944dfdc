/** `lora_config.json` as the official trainer writes it. */
import { z } from 'zod';
import { attempt, SvcError } from '../../errors.ts';

export type LoraConfig = ReturnType<typeof parseLoraConfig>;

const modules = z.array(z.string()).optional();

const fieldsSchema = z.object({
  r: z.int().min(1).max(65_536).optional(),
  alpha: z.number().gt(0).max(1e6).optional(),
  enable_lm: z.boolean().optional(),
  enable_dit: z.boolean().optional(),
  enable_proj: z.boolean().optional(),
  target_modules_lm: modules,
  target_modules_dit: modules,
  target_proj_modules: modules,
});

const baseModelSchema = z.object({ base_model: z.string().max(4096).nullish() });

/**
 * Parses the configuration; its fields are under `lora_config` or, in older files, at the top.
 *
 * @param source name of the file in messages
 * @throws SvcError MODEL_INVALID
 */
export function parseLoraConfig(text: string, source: string) {
  const json = attempt((): unknown => JSON.parse(text.replace(/^\uFEFF/, '')));
  if (json === undefined) throw new SvcError('MODEL_INVALID', `${source} is not valid JSON`);
  const wrapped = z.object({ lora_config: z.unknown() }).safeParse(json).data?.lora_config;
  const fields = checked(fieldsSchema, wrapped ?? json, source);
  const baseModel = checked(baseModelSchema, json, source).base_model ?? undefined;
  const groups = {
    lm: { enabled: fields.enable_lm, modules: fields.target_modules_lm },
    dit: { enabled: fields.enable_dit, modules: fields.target_modules_dit },
    proj: { enabled: fields.enable_proj, modules: fields.target_proj_modules },
  };
  return {
    rank: fields.r,
    alpha: fields.alpha,
    /** Name or path of the model that the adapter was trained for. */
    baseModel,
    /** Whether the official implementation would load this update. */
    loads(target: string): boolean {
      const group = groups[loraPart(target)];
      const module = target.slice(target.lastIndexOf('.') + 1);
      return (group.enabled ?? true) && (group.modules?.includes(module) ?? true);
    },
  };
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, source: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.');
  throw new SvcError('MODEL_INVALID', field ? `${source}: invalid value of "${field}"` : `${source} must be an object`);
}

/** The part of the model that a matrix belongs to, by the trainer's names: `enable_lm`, `enable_dit`, `enable_proj`. */
export function loraPart(target: string): 'lm' | 'dit' | 'proj' {
  if (target.startsWith('feat_decoder.')) return 'dit';
  return /^(base|residual)_lm\./.test(target) ? 'lm' : 'proj';
}
