import { readFileSync } from "node:fs"
import { join } from "node:path"
import { encryptOtpCodeToBundle, verifyOtpVerificationToken } from "@turnkey/crypto"
import t from "tap"
import { sdkOf } from "../clients/published.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { sharedFetchingSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import type { Json } from "../harness/system.ts"
import { clientSignature, loginUsage } from "../harness/verification.ts"
import { requireAnswered } from "./replies/asked-by.ts"

t.test("invitations through all processes, with the published client", async (t) => {
  const { system } = await sharedFetchingSystem()
  const api = await DocumentedApi.of(system)
  const { send, submit, query, organizationId, root, rootUserId } = api
  const sdk = sdkOf(system, organizationId, root)
  const newest = () =>
    JSON.parse(
      readFileSync(join(system.directory, "fetcher", "outbox.jsonl"), "utf8")
        .trim()
        .split("\n")
        .at(-1)!,
    ) as { to: string; subject: string; text: string }
  const listed = async () => {
    const { organizationData } = await query("get_organization")
    return (organizationData as { invitations: Json[] }).invitations
  }
  const person = (name: string) => ({
    receiverUserName: name,
    receiverUserEmail: `${name}@example.com`,
    receiverUserTags: [],
    accessType: "ACCESS_TYPE_WEB" as const,
    senderUserId: rootUserId,
  })
  const invite = (...invitations: object[]) => submit("CREATE_INVITATIONS", { invitations })

  const { status, json } = await send("CREATE_INVITATIONS", { invitations: [person("ann")] })
  t.match({ status, json }, { status: 403, json: { code: 7, message: /^OTP disallowed/ } })
  await submit("SET_ORGANIZATION_FEATURE", {
    name: "FEATURE_NAME_OTP_EMAIL_AUTH",
    value: "",
  })

  const first = await invite(person("bob"))
  const { invitationIds } = await sdk.createInvitations({ invitations: [person("ann")] })
  t.match(newest(), { to: "ann@example.com", subject: /^Invitation to / })
  t.match(await listed(), [
    { ...shown("bob"), invitationId: (first["invitationIds"] as string[])[0] },
    { ...shown("ann"), invitationId: invitationIds[0], senderUserId: rootUserId },
  ])
  const [invitationId = ""] = first["invitationIds"] as string[]
  t.strictSame(await submit("DELETE_INVITATION", { invitationId }), { invitationId })

  const { otpId, otpEncryptionTargetBundle } = await sdk.initOtp({
    otpType: "OTP_TYPE_EMAIL",
    contact: "ann@example.com",
    appName: "Acme",
  })
  const fetcherKey = String((await system.send("/public/v1/pins", {})).json["fetcherPublicKey"]).slice(130)
  const key = newKey()
  const code = /\b[0-9A-Z]{9}\b/.exec(newest().text)![0]
  const sealed = await encryptOtpCodeToBundle(code, otpEncryptionTargetBundle, key.publicKeyHex, fetcherKey)
  const { verificationToken } = await sdk.verifyOtp({ otpId, encryptedOtpBundle: sealed })
  const { id } = await verifyOtpVerificationToken(verificationToken, fetcherKey)
  const signature = clientSignature(key, loginUsage(id, key.publicKeyHex))
  const login = { verificationToken, publicKey: key.publicKeyHex, clientSignature: signature }
  await submit("OTP_LOGIN_V2", login)
  const { json: who } = await system.query("whoami", { organizationId }, key)
  t.match(who, { username: "ann" })
  t.match(await listed(), [
    { ...shown("bob"), status: "INVITATION_STATUS_REVOKED" },
    { ...shown("ann"), status: "INVITATION_STATUS_ACCEPTED" },
  ])
  const { user } = await sdk.getUser({ userId: who["userId"] as string })
  t.match(user, { userName: "ann", userEmail: "ann@example.com" })
  const verified = { filterType: "EMAIL", filterValue: "ann@example.com" }
  t.strictSame(
    (await sdk.getVerifiedSubOrgIds(verified)).organizationIds,
    [],
    "the parent is no sub-organization",
  )
  requireAnswered(t, api, "invitation")
})

function shown(name: string) {
  const member = { receiverUserName: name, receiverEmail: `${name}@example.com`, receiverUserTags: [] }
  return { ...member, accessType: "ACCESS_TYPE_WEB" }
}
