/** Problems that each folder may still have. A number only shrinks; a folder without problems is not listed. */
export const allowedProblems: Readonly<Record<string, number>> = {
  activities: 6,
  domain: 3,
  store: 1,
  test: 15,
}
