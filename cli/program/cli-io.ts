/** A stream that text goes to. `isTTY` decides whether colours and live lines are used. */
export interface TextSink {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** What a command reads and writes. Results go to `stdout`, everything else to `stderr`. */
export interface CliIo {
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly stdin: AsyncIterable<Uint8Array | string>
}
