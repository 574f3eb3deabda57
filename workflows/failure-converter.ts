import { DefaultFailureConverter, type FailureConverter } from "@temporalio/common"
import { encodesFailures } from "../domain/engine/engine-names.ts"

const plain = new DefaultFailureConverter()
const encoding = new DefaultFailureConverter({ encodeCommonAttributes: true })

/** Puts the message and the stack of errors into a payload where payloads are encrypted, so that they are, too. Either form can be read. */
export const failureConverter: FailureConverter = {
  errorToFailure: (error, payloadConverter, context) =>
    (Reflect.get(globalThis, encodesFailures) === true ? encoding : plain).errorToFailure(
      error,
      payloadConverter,
      context,
    ),
  failureToError: (failure, payloadConverter, context) => plain.failureToError(failure, payloadConverter, context),
}
