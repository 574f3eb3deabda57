/** Converts the row that a query finds; returns undefined if it finds none. */
export const oneRow = async <Found, Row>(
  query: Promise<Found | undefined>,
  toRow: (found: Found) => Row,
): Promise<Row | undefined> => {
  const found = await query
  return found === undefined ? undefined : toRow(found)
}
