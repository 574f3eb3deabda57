/** Problems that each folder may still have. A number only shrinks; a folder without problems is not listed. */
export const allowedProblems: Readonly<Record<string, number>> = {
  activities: 13,
  test: 440,
}
