import { Button } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuCheck } from '../parts/menu.tsx'
import { type ListColumn, listColumns, toggleListColumn, useColumnsAway } from './list-columns.ts'

/** Which columns the list has; remembered by this browser. */
export function ColumnsMenu({ hasSuccess }: { hasSuccess: boolean }) {
  const columnsAway = useColumnsAway()
  const offered = (Object.keys(listColumns) as ListColumn[]).filter((one) => one !== 'success' || hasSuccess)
  return (
    <Menu
      align="end"
      trigger={
        <Button small>
          Columns
          <Icon name="down" small />
        </Button>
      }
    >
      {offered.map((column) => (
        <MenuCheck key={column} checked={!columnsAway.has(column)} onChange={() => toggleListColumn(column)}>
          {listColumns[column]}
        </MenuCheck>
      ))}
    </Menu>
  )
}
