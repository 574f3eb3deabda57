/** An expected refusal of a delegation call. It becomes a tool result that the model can act on. */
export class DelegationRefusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = "DelegationRefusal"
    this.code = code
  }
}
