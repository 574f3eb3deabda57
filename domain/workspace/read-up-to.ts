/** A file that is open, as far as reading it is concerned. */
interface ByteSource {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
}

/** Returns the first bytes of a file that the caller has opened, at most a number of them: a file can grow while it is read, and one read can return less. */
export const readUpTo = async (source: ByteSource, most: number): Promise<Uint8Array> => {
  const bytes = new Uint8Array(most)
  let length = 0
  while (length < most) {
    const { bytesRead } = await source.read(bytes, length, most - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return bytes.subarray(0, length)
}
