/** The layout of `--help`: wrapped to the terminal, also beside long options. */
import { Help, type HelpConfiguration } from 'commander';
import { visibleOptions } from './short-help.ts';

/** Columns of the terms; a longer one has a line of its own. */
const termWidth = 28;

const standard = Help.prototype;

export const helpLayout: HelpConfiguration = {
  visibleOptions,
  /** Commander would quote defaults and list presets. */
  optionDescription: ({ description, defaultValue, defaultValueDescription = String(defaultValue), required }) =>
    required && defaultValue !== undefined ? `${description} (default: ${defaultValueDescription})` : description,
  padWidth: (command, helper) => Math.min(termWidth, standard.padWidth(command, helper)),
  formatItem(this: Help, term, width, description, helper) {
    if (description === '' || helper.displayWidth(term) <= width)
      return standard.formatItem.call(this, term, width, description, helper);
    return `  ${term}\n${standard.formatItem.call(this, '', width, description, helper)}`;
  },
};
