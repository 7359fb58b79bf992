import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { type SetupCode, SetupCodeSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { isRecordMac, type MacKey, macRecord } from "../keys/record-mac.ts"
import { readBase64url } from "../../core/encodings.ts"
import { refuse } from "../../core/refusal.ts"

const MAC_DOMAIN = "countersign/v1/setup-code"

export type SetupCodeParts = Omit<SetupCode, "$typeName" | "$unknown" | "mac">

/**
 * Writes a code with which one key may create one organization: base64url(SetupCode), authenticated by the signer.
 * Creating the organization spends it: the ledger then has the organization id.
 */
export function writeSetupCode(parts: SetupCodeParts, key: MacKey): string {
  const code = create(SetupCodeSchema, parts)
  code.mac = macRecord(key, MAC_DOMAIN, ...partsOf(code))
  return Buffer.from(toBinary(SetupCodeSchema, code)).toString("base64url")
}

/** @throws SETUP_CODE_INVALID */
export function openSetupCode(text: string, key: MacKey): SetupCode {
  const bytes = readBase64url(text)
  if (bytes === undefined) throw invalid()
  let code: SetupCode
  try {
    code = fromBinary(SetupCodeSchema, bytes)
  } catch (cause) {
    throw invalid(cause)
  }
  if (!isRecordMac(code.mac, key, MAC_DOMAIN, ...partsOf(code))) throw invalid()
  return code
}

function partsOf(code: SetupCode): Uint8Array[] {
  const expires = Buffer.alloc(8)
  expires.writeBigInt64BE(code.expiresAtMs)
  return [Buffer.from(code.organizationId), Buffer.from(code.publicKey), code.pinsDigest, expires]
}

function invalid(cause?: unknown) {
  return refuse("SETUP_CODE_INVALID", "the setup code was not issued by this deployment", {
    cause,
    field: "parameters.setupCode",
  })
}
