/** A stream to which text is written. `isTTY` decides whether colours and live lines are used. */
export interface TextSink {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

/** The streams of a process. */
export interface ProcessIo {
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly stdin: AsyncIterable<Uint8Array | string>
  /** Whether stdout and stderr are the same terminal, pipe or file; default: false. */
  readonly isOnePlace?: boolean
}
