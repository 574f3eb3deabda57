/** A failure that a provider reports in an answer with status 200. `error` is what it sent, as an SDK's error has it. */
export class ReportedFailure extends Error {
  readonly error: unknown
  readonly headers: Headers | undefined
  /** Whether a part of the answer had arrived: such a failure can pass, even if nothing is known about it. */
  readonly hasBegun: boolean

  constructor(error: unknown, options: { readonly headers?: Headers | undefined; readonly hasBegun: boolean }) {
    super("the provider reported an error")
    this.name = "ReportedFailure"
    this.error = error
    this.headers = options.headers
    this.hasBegun = options.hasBegun
  }
}
