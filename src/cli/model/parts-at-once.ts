/** Parts of a long text that share each pass over the weights: more gain little on a CPU, and each takes memory. */
export const partsAtOnce = 4;
