import type { ReactNode } from 'react'
import type { RecipeSearch } from '../data/searches.ts'
import { Icon } from '../parts/icon.tsx'
import './steps.css'

export type StepName = NonNullable<RecipeSearch['step']>

interface StepProps {
  number: number
  name: StepName
  title: string
  /** What the step does now. */
  said: string
  /** What the server refuses in it. */
  fault: string | undefined
  isCurrent: boolean
  onOpen(): void
  isOff?: boolean
  toggle?: ReactNode
  /** Its fields, while it is open. */
  children?: ReactNode
  /** On a phone the preview of a step is shown in it. */
  pane: ReactNode
}

export function Step(props: StepProps) {
  const { number, name, title, said, fault, isCurrent, onOpen, isOff = false, toggle, children, pane } = props
  return (
    <li className="step" data-current={isCurrent} data-off={isOff} data-step={name}>
      <div className="step-head">
        <button type="button" aria-expanded={isCurrent} onClick={onOpen}>
          <span className="step-number">{number}</span>
          <span className="shrinkable">
            <b className="block">{title}</b>
            <span className="small mid block">{said}</span>
            {fault && !isCurrent && <span className="small text-flag block">{fault}</span>}
          </span>
        </button>
        {toggle ?? <Icon name="right" small />}
      </div>
      {isCurrent && children && <div className="step-body">{children}</div>}
      {isCurrent && pane && <div className="step-pane">{pane}</div>}
    </li>
  )
}
