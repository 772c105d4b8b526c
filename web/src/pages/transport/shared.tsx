import { useQuery } from '@tanstack/react-query'
import { fetchAll } from '../../api/list'
import { useMay } from '../../api/session'
import { SubNav } from '../../patterns/SubNav'
import './transport.css'

/** The pages of the area, one beside the other. */
export function TransportNav() {
  return (
    <SubNav
      label="Transport"
      items={[
        { to: '/transport', title: 'Trips' },
        { to: '/transport/routes', title: 'Routes' },
        { to: '/transport/buses', title: 'Buses' },
        { to: '/transport/incidents', title: 'Incidents' },
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
