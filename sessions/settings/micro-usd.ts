/** US dollars as integer millionths; a budget is never rounded up. */
export const microUsdOf = (usd: number): number => Math.floor(Number((usd * 1_000_000).toFixed(3)))
