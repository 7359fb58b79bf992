import { fromBinary } from "@bufbuild/protobuf"
import { type SetupCode, SetupCodeSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { CliError, ExitCode } from "./exit.ts"

/**
 * Reads what a setup code says. Its seal is the signer's to check: whoever hands over a code is the operator,
 * and the code is what the other party is checked against.
 */
export function readSetupCode(text: string, nowMs: number): SetupCode {
  const code = decode(text.trim())
  if (!code || !/^0[23][0-9a-f]{64}$/i.test(code.publicKey) || code.pinsDigest.length !== 32) {
    throw new CliError(ExitCode.usage, `this is no setup code. ${howToGetOne("PUBLIC_KEY")}`)
  }
  if (Number(code.expiresAtMs) <= nowMs) {
    const when = new Date(Number(code.expiresAtMs)).toISOString()
    throw new CliError(ExitCode.refused, `the setup code lapsed at ${when}. ${howToGetOne(code.publicKey)}`)
  }
  return code
}

function decode(text: string): SetupCode | undefined {
  if (!/^[\w-]+={0,2}$/.test(text)) return undefined
  try {
    return fromBinary(SetupCodeSchema, Buffer.from(text, "base64url"))
  } catch {
    return undefined
  }
}

function howToGetOne(publicKey: string): string {
  return `On the signer's host: npx countersign-signer setup-code --for ${publicKey}`
}
