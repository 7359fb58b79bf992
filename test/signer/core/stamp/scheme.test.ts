import t from "tap"
import { CredentialType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { isStampScheme, schemeFits } from "../../../../signer/core/stamp/keys.ts"

t.test("a scheme fits the credentials of its curve and no others", async (t) => {
  const fitting: Record<string, (keyof typeof CredentialType)[]> = {
    SIGNATURE_SCHEME_TK_API_P256: [
      "API_KEY_P256",
      "RECOVER_USER_KEY_P256",
      "EMAIL_AUTH_KEY_P256",
      "OTP_AUTH_KEY_P256",
      "READ_WRITE_SESSION_KEY_P256",
      "OAUTH_KEY_P256",
      "LOGIN",
    ],
    SIGNATURE_SCHEME_TK_API_SECP256K1: ["API_KEY_SECP256K1"],
    SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: ["API_KEY_SECP256K1"],
    SIGNATURE_SCHEME_TK_API_ED25519: ["API_KEY_ED25519"],
  }
  for (const [scheme, names] of Object.entries(fitting)) {
    if (!isStampScheme(scheme)) throw new Error(scheme)
    for (const [name, type] of Object.entries(CredentialType)) {
      t.equal(
        schemeFits(scheme, type),
        names.some((fits) => fits === name),
        `${scheme} ${name}`,
      )
    }
  }
})
