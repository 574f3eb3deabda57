/** Converts the row that a query finds, where it finds one. */
export const oneRow = async <Found, Row>(
  query: Promise<Found | undefined>,
  toRow: (found: Found) => Row,
): Promise<Row | undefined> => {
  const found = await query
  return found === undefined ? undefined : toRow(found)
}
