/** The little of the npm `plist` package that the tests use; it ships no types. */
declare module 'plist' {
  const plist: { parse(xml: string): unknown }
  export = plist
}
