/** True for a last text by which a sub-agent asks that nothing be announced: `ANNOUNCE_SKIP`, `NO_REPLY` or `no_reply`, and nothing else in it. */
export const isSilentReply = (text: string): boolean => {
  const trimmed = text.trim()
  return trimmed === "ANNOUNCE_SKIP" || trimmed === "NO_REPLY" || trimmed === "no_reply"
}
