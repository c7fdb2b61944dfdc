import { it } from '@jest/globals';
import { expectManyRounds } from './many-rounds.ts';

it('pass with many rounds', () => expectManyRounds(true));
