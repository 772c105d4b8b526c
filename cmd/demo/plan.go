package demo

import (
	"fmt"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// plan is what a demo school is to be like. Names, phones and addresses are invented.
type plan struct {
	id                      uuid.UUID
	code, name, domain      string
	timeZone, locale        string
	currency, address       string
	seed                    uint64
	phones                  string // the beginning of every phone; five digits follow
	admin, accountant       person
	parent, teacher, driver person
	classes                 []string // the lowest first
	divisions               []string
	families                []int // how many of one child, of two, of three
	sizes                   int   // of a division
	girls, boys, lasts      []string
	mothers, fathers        []string
	streets                 []string
	subjects                []subject
	tuition                 int64 // of the lowest class, for a year of three terms, in minor units
	step                    int64 // more for every class above it
	support                 []job
	modes                   []string // how people pay
	lines                   []line
	days                    int // how far back its registers go; 0: three months
	drawn                   drawn
}

// drawn are the people of a plan, drawn by lot from its seed when somebody asks for them first; nobody changes them afterwards.
type drawn struct {
	peopleOnce, staffOnce sync.Once
	families              []*family
	students              []*student
	staff                 []employee
}

// subject is one that all classes have; the last of a plan's share a period of the day.
type subject struct {
	name, code string
	exam       bool
}

// job is what a person who neither teaches nor drives does.
type job struct{ designation, department string }

func (p *plan) adminEmail() string      { return "admin@" + p.domain }
func (p *plan) accountantEmail() string { return "accounts@" + p.domain }
func (p *plan) phone(n int) string      { return fmt.Sprintf("%s%05d", p.phones, n) }
func (p *plan) driverPhone() string     { return p.phone(701) }
func (p *plan) parentPhone() string     { return p.phone(702) }
func (p *plan) teacherPhone() string    { return p.phone(703) }
func (p *plan) accountantPhone() string { return p.phone(704) }
func (p *plan) accountantCode() string  { return p.prefix() + "-E00" }

// seats is how many students there are.
func (p *plan) seats() int { return len(p.classes) * len(p.divisions) * p.sizes }

func words(text string) []string { return strings.Fields(text) }

func classNames(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(prefix, " ", i+1)
	}
	return out
}

// plans are the demo schools: a big one in India, a small one in Kenya.
var plans = []*plan{
	{
		id: id("01890000-0000-7000-8000-00000000d310"), code: "green-valley", name: "Green Valley", domain: "green-valley.local",
		timeZone: "Asia/Kolkata", locale: "en-IN", currency: "INR", address: "12 Lake View Road, Bengaluru 560032", seed: 310,
		phones: "+9198000", admin: person{"Asha", "Rao"}, accountant: person{"Farhan", "Qureshi"}, parent: person{"Meera", "Rao"},
		teacher: person{"Kavitha", "Menon"}, driver: person{"Ravi", "Kumar"},
		classes: classNames("Class", 10), divisions: []string{"A", "B"}, families: []int{320, 110, 20}, sizes: 30,
		girls: words(`Aadhya Aanya Aditi Ahana Akshara Amaira Ananya Anika Anjali Avni Bhavya Charvi Devika Diya Esha Fatima Gauri Hiya Inaya
			Ira Ishita Jhanvi Kavya Keya Khushi Kiara Lavanya Mahira Manasvi Meenal Myra Naina Navya Neha Nila Nitya Pari Pihu Prisha Riya
			Saanvi Sara Shreya Siya Suhana Tara Trisha Vanya Vedika Zoya`),
		boys: words(`Aarav Abir Advait Agastya Amir Anay Arjun Armaan Aryan Atharv Ayaan Chetan Darsh Dev Dhruv Eshan Faiz Gautam Hriday Imran
			Ishaan Jay Kabir Karan Krish Laksh Manav Mihir Nakul Neel Nikhil Om Parth Pranav Rehan Reyansh Rishi Rohan Rudra Samar Shaan
			Shaurya Tanay Tejas Uday Vedant Vihaan Viraj Yash Zayan`),
		lasts: words(`Agarwal Ahmed Ali Banerjee Bhat Bose Chatterjee Chauhan Das Deshpande Dsouza Fernandes George Ghosh Gill Gowda Gupta
			Hegde Hussain Iyengar Iyer Jain Jha Joshi Kapoor Kaur Khan Kulkarni Lal Malhotra Mathew Mehta Menon Mishra Mukherjee Naidu Nair
			Narayan Patel Patil Pillai Prasad Qureshi Rajan Reddy Saxena Sen Shah Sharma Shetty Singh Sinha Thomas Varghese Verma Yadav`),
		mothers: words(`Anita Archana Deepa Geeta Jyoti Kalpana Lakshmi Lata Madhuri Nandini Neelam Padma Pooja Preeti Radha Rekha Rukmini
			Sangeeta Savita Shabnam Shalini Smita Sunita Swati Tahira Uma Usha Vandana Vidya Yasmin`),
		fathers: words(`Ajay Anand Arun Ashok Bharat Deepak Dinesh Ganesh Harish Irfan Jagdish Joseph Kiran Mahesh Manoj Mohan Naveen Prakash
			Rajesh Rakesh Ramesh Sanjay Satish Shankar Suresh Tariq Umesh Vijay Vikram Vinod`),
		streets: []string{"Temple Street", "Market Square", "Hill Road", "Lake View", "Old Mill Lane", "Station Road", "Garden Street",
			"Clock Tower Road", "Museum Road", "Palm Grove"},
		subjects: []subject{{"Mathematics", "MATH", true}, {"Science", "SCI", true}, {"English", "ENG", true}, {"Hindi", "HIN", true},
			{"Social studies", "SST", true}, {"Art", "ART", false}, {"Computers", "COM", false}, {"Physical education", "PE", false}},
		tuition: 3_600_000, step: 240_000, modes: []string{"UPI", "CASH", "UPI", "BANK_TRANSFER", "CHEQUE", "CARD"},
		lines: []line{
			{"7", "KA-01-GV-0007", "Hill Road", []stop{{"Temple Street", 12.9716, 77.5946}, {"Market Square", 12.9780, 77.5990},
				{"Hill Road", 12.9846, 77.6010}, {"Lake View", 12.9900, 77.6075}, {"Green Valley School", 12.9960, 77.6130}}},
			{"12", "KA-01-GV-0012", "Lake Side", []stop{{"Old Mill", 12.9790, 77.6350}, {"Lake Side", 12.9850, 77.6310},
				{"Post Office", 12.9885, 77.6245}, {"Palm Grove", 12.9930, 77.6190}, {"Green Valley School", 12.9960, 77.6130}}},
			{"21", "KA-01-GV-0021", "Station", []stop{{"Railway Station", 13.0200, 77.5850}, {"Clock Tower", 13.0140, 77.5920},
				{"Garden Street", 13.0080, 77.6000}, {"Museum Road", 13.0010, 77.6070}, {"Green Valley School", 12.9960, 77.6130}}},
		},
		support: []job{{"Librarian", "Library"}, {"Clerk", "Office"}, {"Clerk", "Office"}, {"Nurse", "Health"}, {"Attendant", "Transport"},
			{"Laboratory assistant", "Science"}},
	},
	{
		id: id("01890000-0000-7000-8000-00000000d254"), code: "baraka-academy", name: "Baraka Academy", domain: "baraka-academy.local",
		days: 31, timeZone: "Africa/Nairobi", locale: "en-KE", currency: "KES", address: "Ngong View Road, Nairobi", seed: 254,
		phones: "+2547100", admin: person{"Wanjiru", "Kamau"}, parent: person{"Achieng", "Odhiambo"}, teacher: person{"Mwangi", "Njoroge"},
		driver:  person{"Juma", "Otieno"},
		classes: classNames("Grade", 6), divisions: []string{"A"}, families: []int{84, 15, 2}, sizes: 20,
		girls: words(`Akinyi Amani Atieno Chebet Fadhila Imani Jebet Kerubo Makena Moraa Mumbi Neema Nekesa Njeri Nyambura Rehema Wairimu
			Wambui Zawadi Zuhura`),
		boys: words(`Baraka Barasa Jabali Juma Kamau Kibet Kiprono Kipchumba Maina Mutua Mwangi Njuguna Ochieng Omondi Onyango Rotich Simiyu
			Tumaini Wafula Wekesa`),
		lasts: words(`Achieng Barasa Chege Cheruiyot Gitonga Kamau Kariuki Karanja Keter Kimani Kiplagat Korir Macharia Mbugua Muthoni Mutiso
			Mwangi Ndegwa Njoroge Nyaga Odhiambo Okoth Otieno Ouma Owino Wafula Wanjala Were`),
		mothers: words(`Akinyi Chebet Faith Grace Halima Jane Lucy Mercy Naliaka Njeri Nyokabi Rose Ruth Salome Wangari Wanjiku`),
		fathers: words(`Brian Daniel David Hassan James John Joseph Kennedy Kiprotich Moses Musa Ndung'u Peter Samuel Stephen Victor`),
		streets: []string{"Acacia Lane", "Market Road", "Jacaranda Avenue", "River Road", "Hilltop Drive", "Station Lane"},
		subjects: []subject{{"Mathematics", "MATH", true}, {"English", "ENG", true}, {"Kiswahili", "KIS", true}, {"Science", "SCI", true},
			{"Social studies", "SST", true}, {"Creative arts", "ART", false}},
		tuition: 4_800_000, step: 210_000, modes: []string{"ONLINE", "ONLINE", "BANK_TRANSFER", "CASH"},
		lines: []line{{"1", "KDA 001B", "Ngong Road", []stop{{"Market Road", -1.3000, 36.7500}, {"Acacia Lane", -1.3060, 36.7560},
			{"River Road", -1.3110, 36.7630}, {"Baraka Academy", -1.3170, 36.7690}}}},
		support: []job{{"Librarian", "Library"}, {"Clerk", "Office"}},
	},
}
