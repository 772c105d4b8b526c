import { useQuery } from '@tanstack/react-query'
import { fetchAll } from '../../api/list'
import { useMay } from '../../api/session'
import { SubNav } from '../../patterns/SubNav'
import './transport.css'
import { t } from '../../messages/console'

/** The pages of the area, one beside the other. */
export function TransportNav() {
  return (
    <SubNav
      label={t('Transport')}
      items={[
        { to: '/transport', title: t('Trips') },
        { to: '/transport/routes', title: t('Routes') },
        { to: '/transport/buses', title: t('Buses') },
        { to: '/transport/incidents', title: t('Incidents') },
      ]}
    />
  )
}

export function useBuses() {
  return useQuery({
    queryKey: ['/school-admin/transport/bus/list', 'all'],
    queryFn: () => fetchAll('/school-admin/transport/bus/list'),
  })
}

export function useDrivers() {
  const may = useMay()
  return useQuery({
    queryKey: ['/school-admin/employee/list', 'drivers'],
    queryFn: () => fetchAll('/school-admin/employee/list', { filters: { employeeType: 'DRIVER', status: 'ACTIVE' } }),
    enabled: may('employee', 'read'),
  })
}
