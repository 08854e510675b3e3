package binary
import ("testing";"os";"time";"fmt")
func TestX(t *testing.T){
 for _, p := range []string{"/usr/sbin/mariadbd", os.Args[0], "/usr/bin/perf", "/usr/bin/bash"} {
  a:=time.Now(); f,err:=Binary(p); fmt.Printf("%v %+v %v\n\n", time.Since(a), f, err)
 }
 p,err:=Server(os.Getpid()); fmt.Println(p.Malloc,p.MallocFrom,p.OwnRoot,p.UID,p.Name,err)
 _,err=Server(2); fmt.Println(err); _,err=Server(999999); fmt.Println(err)
}
