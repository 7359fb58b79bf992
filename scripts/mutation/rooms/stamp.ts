import type { Rooms } from "./room.ts"

const EXECUTION = "signer/enclave/execution"

/** Stamps and the tokens that attest them. */
export const stampRooms: Rooms = {
  attested: {
    mutate: ["attested", "client-signature", "header-json", "signed-sign-up"].map(
      (name) => `signer/core/stamp/${name}.ts`,
    ),
    tests: [
      "test/signer/core/stamp/attested.test.ts",
      "test/signer/core/stamp/token-use.test.ts",
      "test/signer/core/stamp/signed-sign-up.test.ts",
      "test/hostile/attested-stamps.test.ts",
      "test/hostile/attested-contacts.test.ts",
      "test/hostile/mfa-codes.test.ts",
      "test/hostile/otp-logins.test.ts",
    ],
  },
  stamp: {
    mutate: ["der", "keys", "large-body", "read-stamp", "verify"].map(
      (name) => `signer/core/stamp/${name}.ts`,
    ),
    tests: [
      "test/signer/core/stamp/read-stamp.test.ts",
      "test/signer/core/stamp/der.test.ts",
      "test/signer/core/stamp/scheme.test.ts",
      "test/signer/core/stamp/passkey.test.ts",
      "test/signer/core/stamp/credential.test.ts",
      "test/signer/core/stamp/large-body.test.ts",
      "test/signer/core/stamp/attested.test.ts",
      "test/signer/core/stamp/verify.test.ts",
      "test/signer/core/stamp/wycheproof.test.ts",
      "test/signer/core/stamp/keys.test.ts",
    ],
  },
  mailed: {
    mutate: [
      "signer/core/stamp/recovery-key.ts",
      "signer/core/fetch-orders/mailed-bundle.ts",
      `${EXECUTION}/steps/recovery-key.ts`,
      "signer/enclave/keys/mailed-key.ts",
      "signer/fetcher/codes/mail-key.ts",
    ],
    tests: [
      "test/signer/core/fetch-orders/mailed-bundle.test.ts",
      "test/signer/enclave/execution/steps/recovery-key.test.ts",
      "test/signer/enclave/keys/mailed-key.test.ts",
      "test/hostile/mailed-keys.test.ts",
      "test/signer/enclave/modules/login/email-auth.test.ts",
      "test/signer/enclave/modules/login/email-recovery.test.ts",
    ],
  },
}
