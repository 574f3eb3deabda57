/** Returns true for `directory` itself and everything below it; both absolute and normalised. */
export const isInside = (directory: string, path: string): boolean =>
  path === directory || directory === "/" || path.startsWith(`${directory}/`)
