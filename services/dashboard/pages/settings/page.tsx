import { useOrganization } from "../../api/directory.ts"
import { Page } from "../../ui/basics.tsx"
import { FromApi } from "../../ui/provenance.tsx"
import { Export } from "./export.tsx"
import { Features } from "./features.tsx"
import { Addresses } from "./addresses.tsx"
import { MfaPolicies } from "./mfa.tsx"
import { SessionProfiles } from "./session-profiles.tsx"
import { VelocityControls } from "./velocity-controls.tsx"

export function SettingsPage() {
  const organization = useOrganization()
  return (
    <Page
      title="Settings"
      about="Settings of the whole organization, beside its policies."
      action={<FromApi />}
      index={["Features", "MFA policies", "Session profiles", "Velocity controls", "IP allowlist", "Export"]}
    >
      <Features state={organization} />
      <MfaPolicies />
      <SessionProfiles />
      <VelocityControls />
      <Addresses />
      <Export />
    </Page>
  )
}
