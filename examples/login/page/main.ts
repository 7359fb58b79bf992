import { attempt, element, field, onClick, onSubmit } from "../../pages/elements.ts"
import { walletCard } from "../../pages/wallet-card.ts"
import type { PageConfiguration } from "./configuration.ts"
import { goToIssuer, returnedToken } from "./issuer.ts"
import { createPasskey, type OpenWallet, openWallet, sendCode, sign, startKit, useIdToken } from "./kit.ts"

const configuration = (await (await fetch("/configuration.json")).json()) as PageConfiguration
const kit = await startKit(configuration)
let enterCode: Awaited<ReturnType<typeof sendCode>> | undefined
let wallet: OpenWallet | undefined
const fill = walletCard({
  sign: async (message) => {
    if (wallet === undefined) throw new Error("Nobody is logged in.")
    return sign(kit, wallet.account, message)
  },
  closing: "Log out",
  close: async () => {
    await kit.logout()
    for (const name of ["email", "digits"]) field(name).value = ""
    await showWallet()
  },
})

onSubmit("contact", askForCode)
onClick("another-code", askForCode)
onSubmit("code", async () => {
  await enterCode?.(field("digits").value.trim())
  await showWallet()
})
onClick("other-address", async () => {
  field("digits").value = ""
  show("contact")
})
onClick("use-passkey", async () => {
  await kit.loginWithPasskey()
  await showWallet()
})
onClick("create-passkey", async () => {
  await createPasskey(kit)
  await showWallet()
})
onClick("use-issuer", async () => goToIssuer(configuration.issuer, await kit.createApiKeyPair()))

await attempt(async () => {
  try {
    const returned = returnedToken()
    if (returned !== undefined) await useIdToken(kit, returned.idToken, returned.publicKey)
  } finally {
    await showWallet()
  }
})

async function askForCode(): Promise<void> {
  const contact = field("email").value.trim()
  enterCode = await sendCode(kit, contact)
  element("sent-to").textContent = contact
  field("digits").value = ""
  show("code")
  field("digits").focus()
}

/** The wallet of the logged-in user, or the login methods. */
async function showWallet(): Promise<void> {
  wallet = await openWallet(kit).catch((fault: unknown) => {
    show("contact")
    throw fault
  })
  if (wallet === undefined) return show("contact")
  const { userName, account, organizationId, endsAtMs } = wallet
  fill({
    address: account.address,
    organization: organizationId,
    facts: { User: userName, "Session ends": new Date(endsAtMs).toLocaleTimeString() },
  })
  show("wallet")
}

/** Shows one step, and hides the others. */
function show(step: "contact" | "code" | "wallet"): void {
  element("login").hidden = step === "wallet"
  element("wallet").hidden = step !== "wallet"
  element("contact").hidden = step !== "contact"
  element("code").hidden = step !== "code"
}
