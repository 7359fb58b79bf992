// A person accepts an invitation, by the running processes with an auth proxy.
import t from "tap"
import { AttestedKey } from "../harness/attested.ts"
import { newKey } from "../harness/stamper.ts"
import { CONTACT_SCHEME } from "../../signer/core/stamp/attested.ts"
import { loginBody } from "./client-messages.ts"
import { proxiedSystem } from "./proxied-system.ts"

const CONTACT = "ann@example.com"

t.test(
  "an invited person enters by otp_login that the organization stamps, and by neither stamp nor auth proxy",
  async (t) => {
    const { system, organizationId, root, submit, post, sealedToken } = await proxiedSystem()
    const { userId: senderUserId } = (await system.query("whoami", { organizationId }, root)).json
    const ann = { receiverUserName: "ann", receiverUserEmail: CONTACT, receiverUserTags: [], senderUserId }
    await submit("create_invitations", "CREATE_INVITATIONS", {
      invitations: [{ ...ann, accessType: "ACCESS_TYPE_WEB" }],
    })

    const key = newKey()
    const token = await sealedToken(CONTACT, key)
    const body = system.body("STAMP_LOGIN", organizationId, { publicKey: newKey().publicKeyHex })
    const stampLogin = (by: AttestedKey) => system.post("submit/stamp_login", body, by)
    const attested = new AttestedKey(key, token, CONTACT_SCHEME)
    t.match(await stampLogin(attested), { status: 401 }, "the stamp of a person who is no user yet")

    const login = loginBody(token, key)
    t.match(await post("otp_login_v2", login), { status: 404 }, "no sub-organization has the contact")
    const { status, json } = await post("otp_login_v2", { ...login, organizationId })
    t.match({ status, json }, { status: 403, json: { code: 7, turnkeyErrorCode: "REQUEST_NOT_AUTHORIZED" } })
    const accepted = await submit("otp_login", "OTP_LOGIN_V2", login)
    t.match(accepted, { otpLoginResult: { session: /^eyJ/ } }, "the token is unused")
    const { json: who } = await system.query("whoami", { organizationId }, key)
    t.match(who, { organizationId, username: "ann" })

    const next = newKey()
    const again = new AttestedKey(next, await sealedToken(CONTACT, next), CONTACT_SCHEME)
    t.match(await stampLogin(again), {
      status: 200,
      json: { activity: { status: "ACTIVITY_STATUS_COMPLETED" } },
    })
  },
)
