export declare function describeOldNode(version?: string): string | undefined;
