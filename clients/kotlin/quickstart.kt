// The quick start with a client that openapi-generator makes from /openapi.json: it signs in, lists students, reads one, and pages
// through all of them. HOMEROOM_URL, HOMEROOM_EMAIL and HOMEROOM_PASSWORD say where and who.

import homeroom.apis.EveryoneSigningInApi
import homeroom.apis.SchoolAdminStudentsApi
import homeroom.infrastructure.ApiClient
import homeroom.models.ListedStudentPageSync
import homeroom.models.LoginRequest

fun setting(name: String): String = System.getenv(name) ?: error("$name is not set")

fun main() {
    val address = setting("HOMEROOM_URL")
    val session = EveryoneSigningInApi(address).postAuthLogin(LoginRequest(setting("HOMEROOM_EMAIL"), setting("HOMEROOM_PASSWORD")), null)
    ApiClient.accessToken = session.accessToken

    val students = SchoolAdminStudentsApi(address)
    val first = list(students, page = 1, limit = 20)
    println("students: ${first.items.size} of ${first.total}")
    first.items.firstOrNull()?.let {
        val one = students.getSchoolAdminStudentById(it.id).data
        println("first: ${one.firstName} ${one.lastName}")
    }
    val pages = generateSequence(list(students, 1, 100)) { if (it.page < it.totalPages) list(students, it.page + 1, 100) else null }
    println("all: ${pages.sumOf { it.items.size }}")
    ApiClient.client.dispatcher().executorService().shutdown() // else the program waits a minute for another call
    ApiClient.client.connectionPool().evictAll()
}

// The generator gives the parameters that may be left out no default: these are the filters, the order and the form.
fun list(students: SchoolAdminStudentsApi, page: Int, limit: Int): ListedStudentPageSync =
    students.getSchoolAdminStudentList(page, limit, null, null, null, null, null, null, null, null, null, null, null, null).data
