// A policy from a recipe of the cookbook: its slots are filled with things of the organization, and the editor gets the expressions.
import { useState } from "preact/hooks"
import { useContracts, useControls } from "../../api/policy-things.ts"
import { type ListedOrganization, nameOf, type Policy } from "../../api/directory.ts"
import { userOf } from "../../api/people.ts"
import { Section } from "../../ui/basics.tsx"
import { faultsOfSlots } from "../../words/recipe-faults.ts"
import { type Recipe, RECIPES, type SlotValues } from "../../words/recipes.ts"
import { SlotField } from "./slots.tsx"

type RecipesProps = {
  organization: ListedOrganization | undefined
  use: (policy: Partial<Policy>) => void
}

export function Recipes({ organization, use }: RecipesProps) {
  const [title, setTitle] = useState("")
  const recipe = RECIPES.find((one) => one.title === title)
  return (
    <Section title="Begin with a recipe">
      <div class="card stack">
        <div class="recipes" role="group" aria-label="Recipes">
          {(recipe === undefined ? RECIPES : [recipe]).map((one) => (
            <button
              key={one.title}
              type="button"
              class="recipe"
              aria-pressed={one.title === title}
              onClick={() => setTitle(one.title === title ? "" : one.title)}
            >
              <b>{one.title}</b>
              <span class="quiet small">{one.about}</span>
            </button>
          ))}
        </div>
        {recipe && (
          <div>
            <button type="button" class="button plain tight" onClick={() => setTitle("")}>
              All recipes
            </button>
          </div>
        )}
        {recipe && <RecipeForm key={title} recipe={recipe} organization={organization} use={use} />}
      </div>
    </Section>
  )
}

function RecipeForm({ recipe, organization, use }: RecipesProps & { recipe: Recipe }) {
  const [values, setValues] = useState<SlotValues>({})
  const [faults, setFaults] = useState<{ readonly [name: string]: string }>({})
  const namesOf = useNames(recipe, organization)
  const fill = () => {
    const found = faultsOfSlots(recipe, values)
    setFaults(found)
    if (Object.keys(found).length === 0) use(recipe.policy(values, namesOf(values)))
  }
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        fill()
      }}
    >
      <div class="slots">
        {recipe.slots.map((slot) => (
          <SlotField
            key={slot.name}
            slot={slot}
            values={values}
            fault={faults[slot.name]}
            organization={organization}
            onChange={(value) => setValues({ ...values, [slot.name]: value })}
          />
        ))}
      </div>
      <div>
        <button type="submit" class="button">
          Fill in the policy
        </button>
      </div>
    </form>
  )
}

/** Names for ids, for the policy's own name. */
function useNames(recipe: Recipe, organization: ListedOrganization | undefined) {
  const contracts = useContracts()
  const controls = useControls()
  const nameFor = (kind: string, value: string) => {
    if (kind === "user") return userOf(value)?.userName
    if (kind === "contract") return contracts.find(({ address }) => address === value)?.label
    if (kind === "control") return controls.find((one) => one.value === value)?.label
    return nameOf(organization, value)
  }
  return (values: SlotValues): SlotValues =>
    Object.fromEntries(
      recipe.slots.map(({ name, kind }) => {
        const value = values[name] ?? ""
        return [name, nameFor(kind, value) ?? value]
      }),
    )
}
