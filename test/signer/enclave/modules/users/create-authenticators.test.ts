import t from "tap"
import { create } from "@bufbuild/protobuf"
import { AuthenticatorTransport, FeatureName } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { CreateAuthenticatorsIntentV2Schema } from "../../../../../proto/gen/countersign/api/v1/intents/credentials_pb.ts"
import type { ActivityContext } from "../../../../../signer/enclave/activities/activity.ts"
import { createAuthenticatorsV2 } from "../../../../../signer/enclave/modules/users/create-authenticators.ts"
import { runAtOnce } from "../../../../../signer/core/turns/steps.ts"
import { type Departure, Passkey } from "../../../../harness/authenticator.ts"
import { draftOf, refusal } from "../../organization/drafts.ts"

const transports = [AuthenticatorTransport.USB, AuthenticatorTransport.NFC, AuthenticatorTransport.USB]

function register(setting: string | undefined, departure: Departure = {}) {
  const features = setting === undefined ? [] : [{ name: FeatureName.WEBAUTHN_ORIGINS, value: setting }]
  const organization = draftOf({ users: [{ userId: "alice" }], features })
  const { attestation, ...passkey } = new Passkey({ rpId: "app.example.org" }).create("phone", departure)
  const authenticators = [{ ...passkey, attestation: { ...attestation, transports } }]
  const parameters = create(CreateAuthenticatorsIntentV2Schema, { userId: "alice", authenticators })
  const settings = { governing: organization.document }
  const context = { organization, settings, newId: () => "id" } as unknown as ActivityContext<["settings"]>
  const result = runAtOnce(createAuthenticatorsV2.run(parameters, context))
  return { result, alice: organization.document.users[0] }
}

t.test("create_authenticators returns the id, and stores each transport once", async (t) => {
  const { result, alice } = register(undefined)
  t.same(result, { authenticatorIds: ["id"] })
  t.match(alice?.authenticators, [{ authenticatorId: "id", name: "phone" }])
  t.same(alice?.authenticators[0]?.transports, transports.slice(0, 2))
})

t.test("B7: where origins are set, a passkey must be created on an allowed origin", async (t) => {
  const wrong = refusal("ATTESTATION_ORIGIN_WRONG", "parameters.authenticators[0].attestation")
  t.doesNotThrow(() => register("https://app.example.org"))
  t.doesNotThrow(() => register("https://example.org,https://app.example.org"))
  t.doesNotThrow(() => register(undefined, { origin: "https://anywhere.example" }))
  t.throws(() => register("https://example.org"), wrong)
  t.throws(
    () => register("https://app.example.org", { origin: "https://app.example.org.evil.example" }),
    wrong,
  )
  t.throws(() => register("https://app.example.org", { more: { crossOrigin: true } }), wrong, "a frame")
})
