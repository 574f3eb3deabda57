/** What the end of a run is called that completed without a text. */
export const noReportText = "completed, but gave no report"
