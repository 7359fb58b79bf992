import type { HashFunction, PayloadEncoding } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { readPayload } from "../keys/payload.ts"
import type { SigningKey } from "../keys/signing-key.ts"
import { Effort } from "../../core/payload/typed-data/effort.ts"
import { hashFunctionName, payloadEncodingName } from "../keys/wire.ts"
import type { Activity, ActivityContext } from "./activity.ts"

type PayloadParameters = { payload: string; encoding: PayloadEncoding; hashFunction: HashFunction }

export const signRawPayload: Activity<"signRawPayloadIntent", "signRawPayloadResult"> = {
  run: ({ privateKeyId, ...parameters }, context) => signOne(privateKeyId, parameters, context),
}

export const signRawPayloadV2: Activity<"signRawPayloadIntentV2", "signRawPayloadResult"> = {
  run: ({ signWith, ...parameters }, context) => signOne(signWith, parameters, context),
}

/** All payloads are read before the first is signed: either all are signed or none. */
export const signRawPayloads: Activity<"signRawPayloadsIntent", "signRawPayloadsResult"> = {
  run({ signWith, payloads, encoding, hashFunction }, { vault }) {
    const key = vault.signingKey(signWith)
    const effort = new Effort()
    const readings = payloads.map((payload, index) =>
      read({ payload, encoding, hashFunction }, key, `parameters.payloads[${index}]`, effort),
    )
    return { signatures: readings.map((reading) => key.sign(reading)) }
  },
}

function signOne(signWith: string, parameters: PayloadParameters, { vault }: ActivityContext) {
  const key = vault.signingKey(signWith)
  return key.sign(read(parameters, key, "parameters.payload", new Effort()))
}

function read(
  { payload, encoding, hashFunction }: PayloadParameters,
  { curve }: SigningKey,
  field: string,
  effort: Effort,
) {
  const names = { encoding: payloadEncodingName(encoding), hashFunction: hashFunctionName(hashFunction) }
  return readPayload({ payload, ...names, curve }, field, effort)
}
