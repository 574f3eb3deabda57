/** Returns US dollars as integer millionths, rounded down. */
export const microUsdOf = (usd: number): number => Math.floor(Number((usd * 1_000_000).toFixed(3)))
