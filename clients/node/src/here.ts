/** Where this module is, to look for packages beside it. The CommonJS build has a file of its own in place of this one. */
// @ts-ignore TS1343: only the ES module build runs this line.
export const here: string = import.meta.url;
