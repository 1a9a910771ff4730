import { Dialog } from '../parts/dialog.tsx'
import { nameCommand } from '../parts/key-names.ts'
import './keys-sheet.css'

const groups: readonly { title: string; rows: readonly [string[], string][] }[] = [
  {
    title: 'Play',
    rows: [
      [['Space'], 'play, pause'],
      [[',', '.'], 'one frame'],
      [['←', '→'], 'one second'],
      [['Shift', '←', '→'], 'ten seconds'],
      [['Home', 'End'], 'first, last frame'],
      [['-', '='], 'slower, faster'],
      [['L'], 'loop in to out'],
    ],
  },
  {
    title: 'Mark',
    rows: [
      [['I', 'O'], 'in, out'],
      [['F'], 'flag the range, the episode'],
      [['1…6'], 'reason'],
      [['S'], 'name it as a segment'],
      [['K'], 'keep only the range'],
      [['D'], 'cut the range out'],
      [['B'], 'split here, or join again'],
      [['H'], 'still frames'],
      [['X'], 'exclude the episode, select a row'],
      [['N'], 'note; new import on Imports'],
      [[nameCommand('Z')], 'undo'],
      [['Esc'], 'clear the selection, close'],
    ],
  },
  {
    title: 'Review',
    rows: [
      [['K'], 'keep the episode, open the next'],
      [['X'], 'leave it out, open the next'],
      [['F'], 'flag it, open the next'],
      [[nameCommand('Z')], 'take the last one back'],
    ],
  },
  {
    title: 'Move',
    rows: [
      [['[', ']'], 'episode before, next'],
      [['J', 'K'], 'row down, up'],
      [['⏎'], 'open'],
      [['G', 'C'], 'catalog'],
      [['G', 'D'], 'datasets'],
      [['G', 'V'], 'versions'],
      [['G', 'I'], 'imports'],
      [[nameCommand('K')], 'search or jump'],
      [['/'], 'search this page'],
    ],
  },
  {
    title: 'Look',
    rows: [
      [['C'], 'next camera large'],
      [['A'], 'overlay, difference'],
      [['V'], 'the robot in 3D'],
      [['Z'], 'zoom to in and out'],
      [['↑', '↓'], 'closer, wider'],
      [['0'], 'whole episode'],
      [['R'], 'recipe without the selection'],
      [[nameCommand('⏎')], 'create version'],
      [['T'], 'light, dark'],
      [['?'], 'this sheet'],
    ],
  },
]

export const KeysSheet = ({ open, onClose }: { open: boolean; onClose(): void }) => (
  <Dialog title="Keyboard" open={open} onClose={onClose} wide>
    <div className="keys-grid">
      {groups.map((group) => (
        <section key={group.title}>
          <h3 className="below-4 text-ink">{group.title}</h3>
          {group.rows.map(([keys, does]) => (
            <div className="keys-row" key={does}>
              <span className="row gap-4">
                {keys.map((key) => (
                  <kbd className="kbd" key={key}>
                    {key}
                  </kbd>
                ))}
              </span>
              <span className="mid">{does}</span>
            </div>
          ))}
        </section>
      ))}
    </div>
  </Dialog>
)
