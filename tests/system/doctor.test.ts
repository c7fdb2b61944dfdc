import { describe, expect, it } from '@jest/globals';
import type { Report } from '../../src/cli/doctor/report.ts';
import { invoke } from '../cli/invoke.ts';

/** Uses ggml's Vulkan library and Debian's software driver, installed by `npm run test:system`. */
describe('svc doctor', () => {
  it('finds a Vulkan device', async () => {
    // ggml skips software drivers unless one is named.
    const environment = { ...process.env, GGML_VK_VISIBLE_DEVICES: '0' };
    const { code, stdout } = await invoke(['doctor', '--json'], { environment });
    expect(code).toBe(0);
    const { checks } = JSON.parse(stdout.toString()) as Report;
    expect(checks.find(({ name }) => name === 'vulkan')).toMatchObject({
      status: 'ok',
      summary: expect.stringMatching(/^Vulkan0: llvmpipe/),
    });
  });

  it('explains why the Vulkan library finds no devices', async () => {
    const { code, stdout } = await invoke(['doctor', '--json'], { environment: process.env });
    expect(code).toBe(0);
    const { checks } = JSON.parse(stdout.toString()) as Report;
    expect(checks.find(({ name }) => name === 'vulkan')).toMatchObject({
      status: 'missing',
      summary: expect.stringContaining('its driver reports no device'),
      remedy: expect.stringContaining('check the driver'),
    });
  });
});
