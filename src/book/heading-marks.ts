/** Begins the names of marks of headings; the level follows, or nothing at the end of one. */
export const headingMark = '\u0000heading-';
