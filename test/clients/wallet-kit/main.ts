// A page with the published kit for React as its users write it: a button that opens the kit's own login window.
import { type TurnkeyProviderConfig, TurnkeyProvider, useTurnkey } from "@turnkey/react-wallet-kit"
import { createElement as element } from "react"
import { createRoot } from "react-dom/client"
import type { PageConfiguration } from "../../../examples/login/page/configuration.ts"

const { apiUrl, authProxyUrl, authProxyConfigId, organizationId } = (await (
  await fetch("/configuration.json")
).json()) as PageConfiguration
const account = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const
const newUser = { customWallet: { walletName: "First", walletAccounts: [account] } }
const config: TurnkeyProviderConfig = {
  apiBaseUrl: apiUrl,
  authProxyUrl,
  authProxyConfigId,
  organizationId,
  auth: { createSuborgParams: { emailOtpAuth: newUser, passkeyAuth: newUser } },
}

createRoot(document.getElementById("root")!).render(
  element(TurnkeyProvider, { config, children: element(App) }),
)

/** Shows the kit's state, and the address once somebody is logged in. */
function App() {
  const { clientState, authState, wallets, handleLogin, signMessage, logout } = useTurnkey()
  const account = wallets[0]?.accounts[0]
  const sign = async (message: string) => {
    if (account === undefined) throw new Error("nobody is logged in")
    return signMessage({ message, walletAccount: account, addEthereumPrefix: true })
  }
  // The test calls it, because the kit has no button for it.
  Object.assign(globalThis, { sign })
  return element(
    "main",
    null,
    element("p", { id: "state" }, `${clientState} ${authState}`),
    element("p", { id: "address" }, account?.address ?? ""),
    element("button", { id: "log-in", onClick: () => void handleLogin() }, "Log in"),
    element("button", { id: "log-out", onClick: () => void logout() }, "Log out"),
  )
}
