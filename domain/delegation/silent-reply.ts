/** Returns true for a final text that asks for no announcement: exactly `ANNOUNCE_SKIP`, `NO_REPLY` or `no_reply`. */
export const isSilentReply = (text: string): boolean => {
  const trimmed = text.trim()
  return trimmed === "ANNOUNCE_SKIP" || trimmed === "NO_REPLY" || trimmed === "no_reply"
}
