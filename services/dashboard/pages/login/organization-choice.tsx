import type { KnownOrganization } from "../../api/known-organizations.ts"
import { Ago } from "../../ui/basics.tsx"
import { Icon } from "../../ui/icon.tsx"

/** The choice of an organization that this browser does not know. */
export const ANOTHER = ""

/** The organizations that this browser knows, by their names. Nothing is shown where it knows none. */
export function OrganizationChoice(part: {
  known: readonly KnownOrganization[]
  chosen: string
  choose: (organizationId: string) => void
  forget: (organizationId: string) => void
}) {
  const { known, chosen, choose, forget } = part
  if (known.length === 0) return null
  return (
    <fieldset class="field">
      <legend>Organization</legend>
      <div class="choices">
        {known.map(({ organizationId, organizationName, username, lastMs }) => (
          <div key={organizationId} class="choice">
            <label title={organizationId}>
              <input
                type="radio"
                name="organization"
                checked={organizationId === chosen}
                onChange={() => choose(organizationId)}
              />
              <span class="wrap">
                <b>{organizationName}</b>
                <br />
                <span class="quiet small">
                  as {username}, <Ago time={new Date(lastMs).toISOString()} />
                </span>
              </span>
            </label>
            <button
              type="button"
              class="button plain tight"
              aria-label={`Forget ${organizationName}`}
              title="Forget it in this browser"
              onClick={() => forget(organizationId)}
            >
              <Icon name="cross" />
            </button>
          </div>
        ))}
        <div class="choice">
          <label>
            <input
              type="radio"
              name="organization"
              checked={chosen === ANOTHER}
              onChange={() => choose(ANOTHER)}
            />
            <span>Another organization</span>
          </label>
        </div>
      </div>
    </fieldset>
  )
}
