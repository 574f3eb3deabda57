/** True for `directory` itself and whatever is below it; both absolute and normalised. */
export const isInside = (directory: string, path: string): boolean =>
  path === directory || directory === "/" || path.startsWith(`${directory}/`)
